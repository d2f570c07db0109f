r"""NEXUS: the trees of TREES blocks, with their TRANSLATE tables.

What is read: any number of TREES blocks among blocks of any other kind, which are passed over; TREE and UTREE commands
with names in quotes or without; comments in square brackets anywhere, nested ones too (left out, annotations such as
``[&rate=0.1]`` among them); keywords in upper or lower case. The tree strings are Newick, read as `read_newick` does.

A leaf's label stands for what TRANSLATE says of it, else for the taxon of that name, else for the taxon of that number
in the file's one TAXA block, else for itself. Names of inner nodes stay as they are: a support value such as 100 is no
taxon. A tree is rooted as it is written: ``[&U]``, which says that the program that wrote it did not care for the root,
changes nothing.

Why not by a library: commonnexus 2.0.0 raises a RecursionError on a tree of 3,000 levels (DendroPy 5.1.3 and Biopython
1.88 do, too), tells no places, and answers damaged files with AttributeError and AssertionError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import overload

from tripletree._checks import expect_hierarchy
from tripletree.errors import DuplicateLeafError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Source, Target, read_text, write_atomic
from tripletree.io.trees._newick_tokens import Underscores
from tripletree.io.trees._nexus_commands import NexusText
from tripletree.io.trees._node_list import selected
from tripletree.io.trees.newick import write_newick
from tripletree.leaves import LeafIndex

__all__ = ["read_nexus", "read_nexus_all", "write_nexus", "write_nexus_all"]

# words that every program takes without quotes: an underscore is a blank to some, signs are punctuation
_PLAIN = re.compile(r"[A-Za-z0-9.]+")
_INNER_NAME = re.compile(r"'(?:[^']++|'')*+'|\)([^'():,;]+)")


def read_nexus(path: Source, *, tree: str | int | None = None, underscores: Underscores = "keep") -> Hierarchy:
    """Read one hierarchy of a NEXUS file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    tree : str or int, optional
        Which tree: its name, or its position in the file, from 0. May be left out where there is only one.
    underscores : {"keep", "blank"}
        What underscores outside of quotes stand for: themselves (as most programs have it), or blanks (as the
        NEXUS standard says).

    Returns
    -------
    Hierarchy
        As `read_newick` gives it, rooted as written.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If it is no NEXUS, the tree cannot be read, there is no such tree, or there are several and `tree` is not
        given. Of the other trees only the commands are looked at.

    See Also
    --------
    read_nexus_all : every tree of a file, with its name.

    Examples
    --------
    >>> import io
    >>> text = '''#NEXUS
    ... BEGIN TREES;
    ...   TRANSLATE 1 human, 2 chimp, 3 'Gorilla gorilla';
    ...   TREE one = [&R] ((1:6,2:6):2,3:8);
    ... END;'''
    >>> list(read_nexus(io.StringIO(text)).leaves)
    ['human', 'chimp', 'Gorilla gorilla']
    """
    text, name = read_text(path)
    return hierarchy_from_nexus(text, name, tree=tree, underscores=underscores)


def hierarchy_from_nexus(
    text: str, path: str | None, *, tree: str | int | None = None, underscores: Underscores = "keep"
) -> Hierarchy:
    """`read_nexus` of a text."""
    nexus = NexusText(text, path=path, underscores=underscores)
    k = selected([x.name for x in nexus.trees], tree, path=path, read_all="read_nexus_all")
    return nexus.hierarchy(nexus.trees[k])


def read_nexus_all(path: Source, *, underscores: Underscores = "keep") -> list[tuple[str, Hierarchy]]:
    """Read every hierarchy of a NEXUS file, none being fine.

    Parameters
    ----------
    path : path, file object or "-"
    underscores : {"keep", "blank"}
        As in `read_nexus`.

    Returns
    -------
    list of (str, Hierarchy)
        The name and the tree of each TREE command in the order of the file; names may repeat.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If it is no NEXUS, or one of the trees cannot be read.

    Examples
    --------
    >>> import io
    >>> text = "#nexus begin trees; tree x = (a,b); tree 'y z' = (a,b,c); end;"
    >>> read_nexus_all(io.StringIO(text))
    [('x', <Hierarchy: 2 leaves, ...>), ('y z', <Hierarchy: 3 leaves, ...>)]
    """
    text, name = read_text(path)
    nexus = NexusText(text, path=name, underscores=underscores)
    return [(tree.name, nexus.hierarchy(tree)) for tree in nexus.trees]


# ---------------------------------------------------------------------- writing


@overload
def write_nexus(
    hierarchy: Hierarchy, path: None = None, *, tree: str = "tree1", names: bool = True, lengths: bool = True
) -> str: ...
@overload
def write_nexus(
    hierarchy: Hierarchy, path: Target, *, tree: str = "tree1", names: bool = True, lengths: bool = True
) -> None: ...
def write_nexus(
    hierarchy: Hierarchy, path: Target | None = None, *, tree: str = "tree1", names: bool = True, lengths: bool = True
) -> str | None:
    r"""Write a hierarchy as a NEXUS file with one TREES block.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    tree : str
        The tree's name.
    names, lengths : bool
        Whether to write the names of inner nodes, and branch lengths, as `write_newick` does.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    InvalidHierarchyError
        If a difference of heights is beyond the largest number.

    See Also
    --------
    write_nexus_all : several trees.

    Notes
    -----
    The leaves stand in a TRANSLATE table, and all that some program could take for something else (underscores, which
    are blanks to many, signs, blanks, letters beyond ASCII) stands in quotes.

    Examples
    --------
    >>> print(write_nexus(Hierarchy.from_nested([["human", "chimp"], "Hylobates_lar"])), end="")
    #NEXUS
    BEGIN TREES;
        TRANSLATE
            1 human,
            2 chimp,
            3 'Hylobates_lar';
        TREE tree1 = [&R] ((1,2),3);
    END;
    """
    return _written([(tree, expect_hierarchy(hierarchy))], path, names=names, lengths=lengths)


@overload
def write_nexus_all(
    trees: Mapping[str, Hierarchy] | Iterable[tuple[str, Hierarchy]],
    path: None = None,
    *,
    names: bool = True,
    lengths: bool = True,
) -> str: ...
@overload
def write_nexus_all(
    trees: Mapping[str, Hierarchy] | Iterable[tuple[str, Hierarchy]],
    path: Target,
    *,
    names: bool = True,
    lengths: bool = True,
) -> None: ...
def write_nexus_all(
    trees: Mapping[str, Hierarchy] | Iterable[tuple[str, Hierarchy]],
    path: Target | None = None,
    *,
    names: bool = True,
    lengths: bool = True,
) -> str | None:
    """Write several hierarchies as one TREES block of a NEXUS file.

    Parameters
    ----------
    trees : mapping of str to Hierarchy, or iterable of (str, Hierarchy)
        The trees and their names, as `read_nexus_all` gives them.
    path : path, file object or "-", optional
    names, lengths : bool
        As in `write_nexus`.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError, InvalidHierarchyError
        As in `write_nexus`; the target is then left as it was.

    Examples
    --------
    >>> text = write_nexus_all({"x": Hierarchy.from_nested(["a", "b"]), "y": Hierarchy.from_nested(["b", "c"])})
    >>> import io
    >>> [(name, list(h.leaves)) for name, h in read_nexus_all(io.StringIO(text))]
    [('x', ['a', 'b']), ('y', ['b', 'c'])]
    """
    if isinstance(trees, Hierarchy):
        msg = "expected several hierarchies with names, not one: use write_nexus, or give a mapping"
        raise TypeError(msg)
    pairs = list(trees.items() if isinstance(trees, Mapping) else trees)
    return _written([(str(x), expect_hierarchy(h)) for x, h in pairs], path, names=names, lengths=lengths)


def _written(trees: list[tuple[str, Hierarchy]], path: Target | None, *, names: bool, lengths: bool) -> str | None:
    number: dict[str, str] = {}  # of each label, as text
    for _, hierarchy in trees:
        for label in hierarchy.leaves:
            number.setdefault(str(label), str(len(number) + 1))
    parts = ["#NEXUS\nBEGIN TREES;\n"]
    if number:
        parts.append("    TRANSLATE\n")
        parts.append(",\n".join(f"        {k} {_quoted(label)}" for label, k in number.items()))
        parts.append(";\n")
    for name, hierarchy in trees:
        parts.append(f"    TREE {_quoted(name)} = [&R] {_newick(hierarchy, number, names=names, lengths=lengths)}\n")
    parts.append("END;\n")
    if path is None:
        return "".join(parts)
    with write_atomic(path) as stream:
        stream.writelines(parts)
    return None


def _newick(hierarchy: Hierarchy, number: dict[str, str], *, names: bool, lengths: bool) -> str:
    """The hierarchy as Newick, its leaves by their numbers, and names quoted as NEXUS wants it."""
    shown = [str(label) for label in hierarchy.leaves]
    try:
        LeafIndex(shown)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    leaves = [number[label] for label in shown]
    length = hierarchy.length if lengths else None
    text = write_newick(Hierarchy(hierarchy.parent, leaves, length=length, names=hierarchy.names), names=names)
    return _INNER_NAME.sub(lambda m: ")" + _quoted(m[1]) if m[1] else m[0], text) if names else text


def _quoted(label: str) -> str:
    """A NEXUS word that every program reads back as this label."""
    return label if _PLAIN.fullmatch(label) else "'" + label.replace("'", "''") + "'"
