"""Writing a hierarchy as lineages: for each leaf its path from the top."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, overload

from tripletree._checks import expect_hierarchy
from tripletree.errors import InvalidHierarchyError, LimitExceededError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Target, write_atomic
from tripletree.io._tables import one_of
from tripletree.io.taxonomies._edges_out import leaf_texts
from tripletree.io.taxonomies._paths import HEADERS, MOST_PATH_TEXT, is_name, is_numbered

__all__ = ["write_lineages"]

Layout = Literal["paths", "table"]


@overload
def write_lineages(hierarchy: Hierarchy, target: None = None, *, sep: str = "; ", layout: Layout = "paths") -> str: ...
@overload
def write_lineages(hierarchy: Hierarchy, target: Target, *, sep: str = "; ", layout: Layout = "paths") -> None: ...
def write_lineages(
    hierarchy: Hierarchy, target: Target | None = None, *, sep: str = "; ", layout: Layout = "paths"
) -> str | None:
    r"""Write a hierarchy as lines, one for each leaf with the names of all nodes above it.

    Parameters
    ----------
    hierarchy : Hierarchy
        Every inner node needs a name, but for a root that has several children.
    target : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    sep : str
        What to put between names.
    layout : {"paths", "table"}
        "paths" ends each path with the leaf: ``Bacteria; Firmicutes; f1``. "table" is QIIME's: a header, and for each
        leaf its label, a tab and the path of the nodes above it.

    Returns
    -------
    str or None
        The text, if no `target` is given.

    Raises
    ------
    InvalidHierarchyError
        If paths cannot say it: an inner node without a name, two of one name under one node, a name with the
        separator or a line end in it, blanks around it, or one that reads as no name at all.
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    LimitExceededError
        If the text would be longer than 2**30 characters: paths of deep hierarchies are long.

    See Also
    --------
    read_lineages : the reverse; with ``missing=()`` where names such as "unknown" are meant.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "loris"], names=["apes", "primates"])
    >>> print(write_lineages(h, sep=" > "), end="")
    primates > apes > human
    primates > apes > chimp
    primates > loris
    """
    one_of(layout, "layout", ("paths", "table"))
    if not isinstance(sep, str) or not sep.strip() or not sep.isprintable():
        msg = f"sep must be text that is not all blanks, such as '; ', not {sep!r}"
        raise ValueError(msg)
    names = _node_texts(expect_hierarchy(hierarchy), sep.strip())
    _check_paths(hierarchy, names, layout)
    lines = _lines(hierarchy, names, sep, layout)
    if target is None:
        return "".join(lines)
    with write_atomic(target) as stream:
        stream.writelines(lines)
    return None


def _node_texts(hierarchy: Hierarchy, sep: str) -> list[str | None]:
    """What each node is called in a path; None for a root without a name."""
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    inner: list[str | None] = [None] * (N - n) if hierarchy.names is None else list(hierarchy.names)
    names = [*leaf_texts(hierarchy), *inner]
    for u, name in enumerate(names):
        if name is None:
            if u == hierarchy.root and hierarchy.n_children[u] > 1:
                continue
            which = "the root, which has one child," if u == hierarchy.root else f"inner node {u}"
            msg = f"{which} has no name, which a path needs; write Newick, or name it"
            raise InvalidHierarchyError(msg, node=u)
        if sep in name:
            msg = f"{name!r} (node {u}) has the separator {sep!r} in it: take another sep"
            raise InvalidHierarchyError(msg, node=u)
        if any(x in name for x in "\t\n\r") or name != name.strip() or not is_name(name):
            msg = (
                f"{name!r} (node {u}) cannot stand in a path: no tabs, no line ends, no blanks around it, not only '_'"
            )
            raise InvalidHierarchyError(msg, node=u)
    return names


def _check_paths(hierarchy: Hierarchy, names: list[str | None], layout: str) -> None:
    """Refuse two nodes of one path."""
    first = hierarchy.n_leaves if layout == "table" else 0
    seen: dict[tuple[int, str | None], int] = {}
    for u, p in enumerate(hierarchy.parent.tolist()[first:], first):
        if seen.setdefault((p, names[u]), u) != u:
            msg = f"nodes {seen[p, names[u]]} and {u} are both called {names[u]!r}, under one node: one path for two"
            raise InvalidHierarchyError(msg, node=u)


def _lines(hierarchy: Hierarchy, names: list[str | None], sep: str, layout: str) -> Iterator[str]:
    up = hierarchy.parent.tolist()
    n, N = hierarchy.n_leaves, len(up)
    size = [0] * N
    for u in range(N - 1, -1, -1):
        name = names[u]
        size[u] = (size[up[u]] if up[u] >= 0 else 0) + (0 if name is None else len(name) + len(sep))
    total = sum(size[:n])
    if total > MOST_PATH_TEXT:
        msg = f"the paths of {n} leaves have {total} characters, more than {MOST_PATH_TEXT}: write Newick, or edges"
        raise LimitExceededError(msg, size=total, limit=MOST_PATH_TEXT)
    if layout == "table":
        yield "Feature ID\tTaxon\n"
    for u in range(n):
        path = []
        v = u if layout == "paths" else up[u]
        while v >= 0:
            if names[v] is not None:
                path.append(str(names[v]))
            v = up[v]
        text = sep.join(reversed(path))
        if layout == "table":
            yield f"{_cell(str(names[u]))}\t{_cell(text)}\n"
            continue
        if text[0] in "#\ufeff" or is_numbered(text) or (u == 0 and _is_header(text)):
            msg = f"the path {text!r:.60} of leaf {u} reads as a comment, a header or a number; take layout='table'"
            raise InvalidHierarchyError(msg, node=u)
        yield f"{text}\n"


def _cell(text: str) -> str:
    """A cell of the table, in quotes where it would be read as one."""
    return '"' + text.replace('"', '""') + '"' if text.startswith('"') else text


def _is_header(text: str) -> bool:
    return text.lower().replace(" ", "").replace("_", "").replace("-", "") in HEADERS
