"""Newick: hierarchies as brackets, ``((human:6,chimp:6):2,gorilla:8);``.

What is read: labels without quotes, in single quotes (``'it''s'``) or in double quotes; comments in square brackets
anywhere, nested ones too (left out); branch lengths; names of inner nodes; inner nodes with one child; any number of
trees in a file, each ended by a semicolon; white space and line ends anywhere between. Blanks inside a label without
quotes belong to it. What is missing or stands twice is refused with its line and column, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import overload

import numpy as np

from tripletree._checks import expect_hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, ParseError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Source, Target, read_text, write_atomic
from tripletree.io.trees._newick_tokens import NewickText, Underscores
from tripletree.leaves import LeafIndex

__all__ = ["parse_newick", "parse_newick_all", "read_newick", "read_newick_all", "write_newick", "write_newick_all"]

_PLAIN = re.compile(r"""[^\s()\[\]{}'",:;=]+""")


def read_newick(path: Source, *, underscores: Underscores = "keep") -> Hierarchy:
    """Read the one hierarchy of a Newick file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2 and xz are unpacked.
    underscores : {"keep", "blank"}
        What underscores in labels without quotes stand for: themselves (as most programs have it), or blanks (as the
        Newick standard says).

    Returns
    -------
    Hierarchy
        Leaves in the order of the text, inner nodes in the order in which their brackets close. Lengths that the
        text leaves out are NaN; `length` is None where there are none at all.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If the text is no Newick, holds no tree or several, or a leaf label is missing or stands twice.

    See Also
    --------
    read_newick_all : every tree of a file.
    parse_newick : the same from a string.

    Examples
    --------
    >>> import io
    >>> read_newick(io.StringIO("((human,chimp),gorilla);"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    text, name = read_text(path)
    return _only(NewickText(text, path=name, underscores=underscores), name, "read_newick_all")


def read_newick_all(path: Source, *, underscores: Underscores = "keep") -> list[Hierarchy]:
    r"""Read every hierarchy of a Newick file, none being fine.

    Parameters
    ----------
    path : path, file object or "-"
    underscores : {"keep", "blank"}
        As in `read_newick`.

    Returns
    -------
    list of Hierarchy
        In the order of the file; each has leaves of its own.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If one of the trees cannot be read.

    Examples
    --------
    >>> import io
    >>> [h.n_leaves for h in read_newick_all(io.StringIO("(a,b);\n(a,b,c);"))]
    [2, 3]
    """
    text, name = read_text(path)
    return list(NewickText(text, path=name, underscores=underscores))


def parse_newick(text: str, *, underscores: Underscores = "keep") -> Hierarchy:
    """Read the one hierarchy of a Newick string.

    Parameters
    ----------
    text : str
    underscores : {"keep", "blank"}
        As in `read_newick`.

    Returns
    -------
    Hierarchy

    Raises
    ------
    ParseError
        As in `read_newick`.

    Examples
    --------
    >>> parse_newick("((human:6,chimp:6)'tribe Hominini':2,gorilla:8);").names
    ('tribe Hominini', None)
    >>> parse_newick("(a,,b);")
    Traceback (most recent call last):
        ...
    tripletree.errors.ParseError: <string>, line 1, column 4: a leaf label is missing before this ','...
    """
    return _only(NewickText(_checked_text(text), underscores=underscores), None, "parse_newick_all")


def parse_newick_all(text: str, *, underscores: Underscores = "keep") -> list[Hierarchy]:
    """Read every hierarchy of a Newick string.

    Parameters
    ----------
    text : str
    underscores : {"keep", "blank"}
        As in `read_newick`.

    Returns
    -------
    list of Hierarchy

    Raises
    ------
    ParseError
        As in `read_newick_all`.

    Examples
    --------
    >>> len(parse_newick_all("(a,b); [a comment] (c,d);"))
    2
    """
    return list(NewickText(_checked_text(text), underscores=underscores))


def _checked_text(text: str) -> str:
    if not isinstance(text, str):
        msg = f"expected Newick text, not {type(text).__name__}; to read a file use read_newick"
        raise TypeError(msg)
    return text


def _only(trees: NewickText, name: str | None, all_of_them: str) -> Hierarchy:
    """The one tree of a text."""
    if trees.n_trees > 1:
        k = trees.second_tree()
        raise trees.error_at(k, f"{trees.n_trees} trees where one is wanted, the second from here: use {all_of_them}")
    for hierarchy in list(trees):  # to the end of the text: nothing unread may follow
        return hierarchy
    msg = "no tree in it: the text is empty, or holds comments only"
    raise ParseError(msg, path=name, line=1, column=1)


# ---------------------------------------------------------------------- writing


@overload
def write_newick(hierarchy: Hierarchy, path: None = None, *, names: bool = True, lengths: bool = True) -> str: ...
@overload
def write_newick(hierarchy: Hierarchy, path: Target, *, names: bool = True, lengths: bool = True) -> None: ...
def write_newick(
    hierarchy: Hierarchy, path: Target | None = None, *, names: bool = True, lengths: bool = True
) -> str | None:
    """Write a hierarchy as one line of Newick.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    names : bool
        Whether to write the names of inner nodes.
    lengths : bool
        Whether to write branch lengths; for a hierarchy with heights, the differences.

    Returns
    -------
    str or None
        The text without a line end, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    InvalidHierarchyError
        If a difference of heights is beyond the largest number.

    Notes
    -----
    The children of a node stand in the order of their smallest leaf index, so equal hierarchies over one leaf index
    give equal text. Lengths are written in full: they are read back exactly. Labels that are no strings are written
    as ``str(label)``, and read back as strings. Time and memory linear in the size, whatever the depth.

    Examples
    --------
    >>> write_newick(Hierarchy.from_nested([["chimp", "human"], "gorilla", "Hylobates lar"]))
    "((chimp,human),gorilla,'Hylobates lar');"
    """
    text = _newick(expect_hierarchy(hierarchy), names=names, lengths=lengths)
    if path is None:
        return text
    with write_atomic(path) as stream:
        stream.write(text)
        stream.write("\n")
    return None


@overload
def write_newick_all(
    hierarchies: Iterable[Hierarchy], path: None = None, *, names: bool = True, lengths: bool = True
) -> str: ...
@overload
def write_newick_all(
    hierarchies: Iterable[Hierarchy], path: Target, *, names: bool = True, lengths: bool = True
) -> None: ...
def write_newick_all(
    hierarchies: Iterable[Hierarchy], path: Target | None = None, *, names: bool = True, lengths: bool = True
) -> str | None:
    r"""Write several hierarchies, each as one line of Newick.

    Parameters
    ----------
    hierarchies : iterable of Hierarchy
    path : path, file object or "-", optional
    names, lengths : bool
        As in `write_newick`.

    Returns
    -------
    str or None
        The text, each line with its end, if no `path` is given.

    Raises
    ------
    DuplicateLeafError, InvalidHierarchyError
        As in `write_newick`; the target is then left as it was.

    Examples
    --------
    >>> write_newick_all([Hierarchy.from_nested("ab"), Hierarchy.from_nested(["a", "b"])])
    'ab;\n(a,b);\n'
    """
    if isinstance(hierarchies, Hierarchy):
        msg = "expected several hierarchies, not one: use write_newick, or give a list"
        raise TypeError(msg)
    lines = (_newick(h, names=names, lengths=lengths) + "\n" for h in hierarchies)
    if path is None:
        return "".join(lines)
    with write_atomic(path) as stream:
        stream.writelines(lines)
    return None


def _newick(hierarchy: Hierarchy, *, names: bool, lengths: bool) -> str:
    """The text of one hierarchy: each leaf with the brackets that open before it, each inner node where it closes.

    The leaves stand in depth-first order. A piece of text for each leaf, then, at the leaf where its clade ends, one
    for each inner node, inner ones first, which is the order of their numbers.
    """
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    start, stop = _intervals(hierarchy.parent, n)
    after = np.concatenate([_written_labels(hierarchy), np.full(N - n, ")", object)])
    if names and hierarchy.names is not None:
        after[n:] += np.array(["" if x is None else _quoted(x) for x in hierarchy.names], object)
    if lengths and hierarchy.length is not None:
        after += _written_lengths(hierarchy.length)
    opening = np.bincount(start[n:], minlength=n)
    brackets = np.array(["(" * k if i == 0 else "," + "(" * k for i, k in enumerate(opening.tolist())], object)
    after[:n] = brackets[start[:n]] + after[:n]
    # leaf pieces before the inner nodes that close behind them; ties among inner nodes by number, deepest first
    order = np.lexsort((np.arange(N), stop))
    return "".join(after[order].tolist()) + ";"


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


def _written_labels(hierarchy: Hierarchy) -> np.ndarray:
    """The leaf labels as text, quoted where need be."""
    labels = [x if isinstance(x, str) else str(x) for x in hierarchy.leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    out = np.empty(len(labels), object)
    out[:] = [_quoted(x) for x in labels]
    return out


def _quoted(label: str) -> str:
    """The label as it must stand in the text to be read back unchanged, here and elsewhere."""
    if _PLAIN.fullmatch(label) and label.isprintable():
        return label
    return "'" + label.replace("'", "''") + "'"


def _written_lengths(length: np.ndarray) -> np.ndarray:
    """The lengths as ``:0.25`` in the fewest digits that give the same number back; nothing for NaN."""
    infinite = np.flatnonzero(np.isinf(length))
    if infinite.size:
        u = int(infinite[0])
        msg = f"the branch above node {u} has length {length[u]}, which Newick cannot say; write with lengths=False"
        raise InvalidHierarchyError(msg, node=u)
    out = np.empty(length.size, object)
    out[:] = ["" if x != x else ":" + repr(x).removesuffix(".0") for x in length.tolist()]
    return out
