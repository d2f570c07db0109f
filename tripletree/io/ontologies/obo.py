r"""OBO: the text format of the Gene Ontology and its kin.

>>> ontology = parse_obo('''
... [Term]
... id: GO:0005575
... name: cellular_component
...
... [Term]
... id: GO:0005623
... is_a: GO:0005575 ! cellular_component
... ''')
>>> ontology.roots, list(ontology.leaves), ontology.names
(['GO:0005575'], ['GO:0005623'], ('cellular_component', None))

What is read: OBO 1.0 to 1.4. ``is_a`` and, where asked for, ``relationship`` lines; escapes, modifiers in braces,
comments, lines continued by a backslash; definitions of one term in several places, which are put together.
``intersection_of`` and ``equivalent_to`` are no edges: a genus that is not also asserted with ``is_a`` is not a parent
here (files as published assert it). ``import`` is never followed. What cannot be read is refused with its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import overload

from tripletree.errors import DuplicateLeafError, InvalidHierarchyError
from tripletree.io._files import Source, Target, read_bytes, write_atomic
from tripletree.io.ontologies._obo_text import OboText
from tripletree.leaves import LeafIndex
from tripletree.ontology import Ontology

__all__ = ["parse_obo", "read_obo", "write_obo"]


def read_obo(
    path: Source,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
) -> Ontology:
    r"""Read the terms of an OBO file and how they stand below each other.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2 and xz are unpacked.
    relations : str, iterable of str, or None
        The types of relations that make edges, by their id or name (``"part_of"``). ``None`` takes those that place a
        term below another: is_a and part_of. Others point elsewhere, has_part even downwards: name them if you want.
    root : str or iterable of str, optional
        Only these terms and what is below them.
    namespace : str or iterable of str, optional
        Only terms of these namespaces, such as ``"biological_process"``; edges between namespaces go.
    obsolete : bool
        Whether to keep obsolete terms. Without them their edges go, too.

    Returns
    -------
    Ontology
        Terms by their identifiers, in the order of the file, with their names and, where the file has them
        (``property_value: has_rank``), ranks. Edges in the order of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If a line is no OBO, a term has no id or two different names, terms stand above themselves, or there is no
        term at all.
    UnknownLeafError
        If a relation, a root or a namespace is nowhere in the file.

    See Also
    --------
    read_owl, read_obograph : the same from the other formats of ontologies.

    Notes
    -----
    Terms that are referred to but not defined, as in a part of a file or with an import, are kept, without a name,
    behind all others; they are left out when a `namespace` is asked for, theirs being unknown. A parent given by its
    secondary identifier (``alt_id``) is the term that has it.

    Examples
    --------
    >>> import io
    >>> text = "[Term]\nid: b\nis_a: a\n[Term]\nid: c\nrelationship: part_of b\n"
    >>> read_obo(io.StringIO(text)).roots
    ['c', 'a']
    >>> read_obo(io.StringIO(text), relations=None).roots
    ['a']
    """
    content, name = read_bytes(path)
    return obo_ontology(content, name, relations=relations, root=root, namespace=namespace, obsolete=obsolete)


def parse_obo(
    text: str,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
) -> Ontology:
    r"""Read the terms of an OBO text.

    Parameters
    ----------
    text : str
    relations, root, namespace, obsolete
        As in `read_obo`.

    Returns
    -------
    Ontology

    Raises
    ------
    ParseError, UnknownLeafError
        As in `read_obo`.

    Examples
    --------
    >>> parse_obo("[Term]\nid: b\nis_a: a ! the first letter\n").roots
    ['a']
    >>> parse_obo("[Term]\nid: b\nis_a: a the first letter\n")
    Traceback (most recent call last):
        ...
    tripletree.errors.ParseError: <string>, line 3, column 7: expected one identifier, not 'a the first letter'...
    """
    if not isinstance(text, str):
        msg = f"expected OBO text, not {type(text).__name__}; to read a file use read_obo"
        raise TypeError(msg)
    return obo_ontology(text, None, relations=relations, root=root, namespace=namespace, obsolete=obsolete)


def obo_ontology(
    content: bytes | str,
    path: str | None,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
) -> Ontology:
    """The ontology of an OBO text; see `read_obo`."""
    terms = OboText(content, path).terms
    return terms.ontology(relations=relations, root=root, namespace=namespace, obsolete=obsolete)


# ---------------------------------------------------------------------- writing


@overload
def write_obo(ontology: Ontology, path: None = None) -> str: ...
@overload
def write_obo(ontology: Ontology, path: Target) -> None: ...
def write_obo(ontology: Ontology, path: Target | None = None) -> str | None:
    r"""Write an ontology as OBO.

    Parameters
    ----------
    ontology : Ontology
    path : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two terms are the same once written as text (1 and "1").
    InvalidHierarchyError
        If an identifier is empty, or something holds a carriage return.

    Notes
    -----
    Terms, names, ranks, edges and their types are read back as they are by ``read_obo(path, relations=...)``, edges
    in the order of their children. Identifiers that are no strings are written as ``str(term)``.

    Examples
    --------
    >>> print(write_obo(Ontology(["a", "b"], [(1, 0)], names=["first letter", None])))
    format-version: 1.4
    <BLANKLINE>
    [Term]
    id: a
    name: first letter
    <BLANKLINE>
    [Term]
    id: b
    is_a: a ! first letter
    <BLANKLINE>
    """
    if not isinstance(ontology, Ontology):
        msg = f"expected an Ontology, not {type(ontology).__name__}"
        raise TypeError(msg)
    ids = [x if isinstance(x, str) else str(x) for x in ontology.terms]
    try:
        LeafIndex(ids)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all terms are written as text") from None
    stanzas = _stanzas(ontology, [_escaped(x, _IN_ID) for x in ids])
    if path is None:
        return "".join(stanzas)
    with write_atomic(path) as stream:
        stream.writelines(stanzas)
    return None


_IN_TEXT = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "!": "\\!", "{": "\\{", "}": "\\}", '"': '\\"'}
_IN_ID = {**_IN_TEXT, " ": "\\W", ",": "\\,"}


def _escaped(text: str, escapes: dict[str, str], what: str = "identifier") -> str:
    """Text as it must stand in OBO to be read back unchanged."""
    if not text or "\r" in text:
        msg = f"the {what} {text!r} cannot be written as OBO, which has no word for nothing and for a carriage return"
        raise InvalidHierarchyError(msg)
    if any(x in text for x in escapes):
        text = "".join(map(escapes.get, text, text))
    if text[0] == " ":
        text = "\\W" + text[1:]
    return text[:-1] + "\\W" if text[-1] == " " else text


def _stanzas(ontology: Ontology, ids: list[str]) -> Iterator[str]:
    """The header and the stanza of each term."""
    names = [None if x is None else _escaped(x, _IN_TEXT, "name") for x in ontology.names or [None] * len(ids)]
    ranks = ontology.ranks or [None] * len(ids)
    above: list[list[str]] = [[] for _ in ids]
    for (child, parent), relation in zip(ontology.edges.tolist(), ontology.relations, strict=True):
        head = "is_a:" if relation == "is_a" else f"relationship: {_escaped(relation, _IN_ID)}"
        comment = "" if names[parent] is None else f" ! {names[parent]}"
        above[child].append(f"{head} {ids[parent]}{comment}\n")
    yield "format-version: 1.4\n"
    for u, term in enumerate(ids):
        yield f"\n[Term]\nid: {term}\n"
        if names[u] is not None:
            yield f"name: {names[u]}\n"
        rank = ranks[u]
        if rank is not None:
            yield f'property_value: has_rank "{_escaped(rank, _IN_TEXT)}" xsd:string\n'
        yield from above[u]
    for relation in sorted(set(ontology.relations)):
        if relation != "is_a":
            shown = _escaped(relation, _IN_ID)
            yield f"\n[Typedef]\nid: {shown}\nname: {_escaped(relation, _IN_TEXT)}\n"
