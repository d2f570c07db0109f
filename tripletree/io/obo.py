"""OBO: the text format of the Gene Ontology and its kin.

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

The reader takes OBO 1.0 to 1.4: ``is_a`` and, if asked for, ``relationship`` lines, escapes, modifiers in braces,
comments, lines continued by a backslash, and definitions of one term in several places, which are put together.
The genus of a definition (``intersection_of``) is a parent, whether ``is_a`` asserts it, as in files as published, or
not, as in editors' files. ``import`` is never followed. An unreadable line is refused with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import overload

import numpy as np

from tripletree.core.leaves import as_texts
from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.errors import InvalidHierarchyError, ParseError
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.ontology_terms import SCOPES, TermTable, short_rank
from tripletree.io.source import Source, Target, check_not_utf16, decoded, read_bytes, write_text

# ----------------------------------------------------------------------
# The lines of an OBO file, one pass over them, a megabyte at a time.
#
# A line is ``tag: value {modifiers} ! comment``. The terms' tags that make the graph are read in full: id,
# name, namespace, is_a, relationship, alt_id, is_obsolete, intersection_of and the rank in property_value. The
# others are checked for quotes that do not close. ``Typedef`` gives relation types their names. Other stanzas are
# passed over. Text before the first stanza is read for default-namespace only, as real files carry prose there.

BLOCK = 1 << 20

#: Tags that are read, and tags that are known and passed over. "quoted" is checked for quotes that do not close.
_READ = (
    "id",
    "name",
    "namespace",
    "is_a",
    "relationship",
    "alt_id",
    "equivalent_to",
    "replaced_by",
    "consider",
    "is_obsolete",
    "property_value",
    "intersection_of",
    "inverse_of",
    "import",
)
_SYNONYMS = ("synonym", *(f"{x}_synonym" for x in SCOPES))  # the scope in the tag: OBO 1.0
_QUOTED = ("def", *_SYNONYMS)
_PASSED = (
    *("comment", "subset", "xref", "xref_analog", "xref_unk", "is_anonymous", "builtin", "union_of"),
    *("disjoint_from", "use_term", "created_by", "creation_date"),
)
_KIND = {**{x: x for x in _READ}, **dict.fromkeys(_QUOTED, "quoted"), **dict.fromkeys(_PASSED, "")}

_STANZA = re.compile(r"\[\s*(\w+)\s*\]\s*(?:!.*)?")
_TAG = re.compile(r"[^\s:\[\]!\"]+")
_QUOTES = re.compile(r'[^"\\]*"(?:[^"\\]|\\.)*+".*', re.DOTALL)
_SYNONYM = re.compile(r'\s*"((?:[^"\\]|\\.)*+)"(?:\s*([A-Z]+)\b)?')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "W": " "}
#: An identifier up to a blank, or a comment. Then perhaps modifiers and a comment, and nothing else.
_MARK = r"\"(?:[^\"\\]|\\.)*+\""
_IDENTIFIER = re.compile(
    rf"[ \t]*+((?:[^ \t\\!{{]|\\.)(?:[^ \t\\!]|\\.)*+)[ \t]*+"
    rf"(\{{(?:[^{{}}\"\\]|\\.|{_MARK})*+\}})?[ \t]*+(?:!.*)?",
    re.DOTALL,
)
#: Most identifiers: neither escapes nor modifiers, the line ends or a comment begins.
_PLAIN = re.compile(r" ?([^ \t\\!{]++)(?: !|\Z)")
_COMMENT = re.compile(r"(?:(?<=[ \t])|^)!")
_MODIFIERS = re.compile(r"[ \t]\{[^{}=]*+=[^{}]*+\}[ \t]*+$")
_RELATIONSHIP = re.compile(r"[ \t]*+([^ \t]++)[ \t]++([^ \t].*)", re.DOTALL)
#: The mark of an open term, or (false) of a top that is not open. Other programs pass over it.
_OPEN = re.compile(r"[ \t]*incertae_sedis[ \t]+\"?(?:(true|1)|false|0)\b", re.IGNORECASE)
_RANK = re.compile(r"[ \t]*[^ \t\"]*has_rank[ \t]+(?:\"((?:[^\"\\]|\\.)*+)\"|([^ \t]+))", re.DOTALL)
#: White space around values. Any other belongs to them.
_BLANKS = " \t"

Line = tuple[str, str, int]


class OboText:
    """The terms of an OBO text.

    Parameters
    ----------
    content : bytes or str
    path : str or None
        The name for messages.
    synonyms : bool
        If True, take in the synonyms of terms, too.
    """

    def __init__(self, content: bytes | str, path: str | None, *, synonyms: bool = False) -> None:
        self._content, self._path = content, path
        self.terms = TermTable(
            path, error=self.error, where=lambda number: f"line {number}", identifier=self._identifier
        )
        self._synonyms = synonyms
        self._namespace: str | None = None
        self._stanza = "header"
        self._start = 1
        self._lines: list[Line] = []
        number = 0
        for lines in self._blocks():
            self._read(lines, number)
            number += len(lines)
        self._close()
        if self._namespace is not None:
            self.terms.namespaces = [x or self._namespace for x in self.terms.namespaces]

    # ------------------------------------------------------------------ lines

    def _blocks(self) -> Iterator[list[str]]:
        """The text's lines, a megabyte at a time. A line that a backslash continues holds the next, which is empty."""
        content, start = self._content, 0
        is_text = isinstance(content, str)
        if isinstance(content, bytes):
            check_not_utf16(content, self._path)
        end, slash = ("\n", "\\") if is_text else (b"\n", b"\\")
        while start < len(content):
            stop = content.find(end, start + BLOCK) + 1  # type: ignore[arg-type]
            while stop and content[max(stop - 3, 0) : stop].rstrip().endswith(slash):  # type: ignore[arg-type]
                stop = content.find(end, stop) + 1  # type: ignore[arg-type]
            block, at_start = content[start : stop or len(content)], start == 0
            start = stop or len(content)
            if isinstance(block, bytes):
                try:
                    block = block.decode("utf-8")
                except UnicodeDecodeError:
                    decoded(self._content, self._path)
                    raise
            if at_start:
                block = block.removeprefix("\ufeff")
            if "\r" in block:
                block = block.replace("\r\n", "\n").replace("\r", "\n")
            lines = block.split("\n")
            if not lines[-1]:
                lines.pop()
            yield _joined(lines) if "\\\n" in block else lines

    def error(self, number: int, message: str, find: str | None = None) -> ParseError:
        """Return a ParseError in a line, at its cause."""
        first, line = 1, ""
        for lines in self._blocks():
            if number < first + len(lines):
                line = lines[number - first]
                break
            first += len(lines)
        column = max(line.find(find), 0) + 1 if find else len(line) - len(line.lstrip()) + 1
        return ParseError(message, path=self._path, line=number, column=column, text=line)

    def _read(self, lines: list[str], before: int) -> None:
        kinds, take = _KIND.get, self._lines.append
        for number, line in enumerate(lines, before + 1):
            tag, _, value = line.partition(":")
            kind = kinds(tag)
            if kind is None:
                if line == "[Term]":
                    self._open("Term", number)
                elif line:
                    self._odd(line, number)
            elif kind == "quoted":
                if "\\" in value or value.count('"') == 1:
                    self._check_quotes(value, number)
                if self._synonyms and tag in _SYNONYMS:
                    take((tag, value, number))
            elif kind:
                take((kind, value, number))

    def _check_quotes(self, value: str, number: int) -> None:
        if self._stanza != "header" and value.lstrip().startswith('"') and not _QUOTES.fullmatch(value):
            msg = 'this quotation mark is never closed (a quotation mark within the text is written \\")'
            raise self.error(number, msg, '"')

    def _odd(self, line: str, number: int) -> None:
        """A line whose tag is not known: a blank, a comment, a stanza, an unknown tag, or a mistake."""
        text = line.strip()
        if not text or text[0] == "!":
            return
        stanza = _STANZA.fullmatch(text)
        if stanza:
            self._open(stanza[1], number)
            return
        if self._stanza == "header":
            tag, colon, value = text.partition(":")
            if tag == "default-namespace" and colon:
                self._namespace = _value(value)
            return
        if text[0] == "[":
            msg = "a stanza begins with its type in square brackets, such as [Term], alone in its line"
            raise self.error(number, msg, "[")
        tag, colon, value = text.partition(":")
        tag = tag.rstrip()
        if not colon or not _TAG.fullmatch(tag):
            msg = "expected 'tag: value', such as 'is_a: GO:0008150'; a long value goes on behind a backslash"
            raise self.error(number, msg)
        kind = _KIND.get(tag)
        near = tag.lower().replace("-", "_")
        if kind is not None:
            self._read([f"{tag}:{value}"], number - 1)
        elif near in _READ or near in ("isa", "partof", "part_of"):
            meant = {"isa": "is_a", "partof": "relationship: part_of", "part_of": "relationship: part_of"}.get(
                near, near
            )
            msg = f"the tag {tag!r} means nothing in OBO; write '{meant}'"
            raise self.error(number, msg)

    # ------------------------------------------------------------------ stanzas

    def _open(self, stanza: str, number: int) -> None:
        self._close()
        if stanza.lower() in ("term", "typedef") and stanza not in ("Term", "Typedef"):
            msg = f"stanza types are written with capitals: [{stanza.capitalize()}], not [{stanza}]"
            raise self.error(number, msg, "[")
        self._stanza, self._start = stanza, number

    def _close(self) -> None:
        """End the present stanza and keep its content."""
        lines, stanza = self._lines, self._stanza
        if stanza == "Term":
            self._term(lines)
        elif stanza == "Typedef":
            self._typedef(lines)
        elif stanza == "header":
            self._header(lines)
        lines.clear()

    def _header(self, lines: list[Line]) -> None:
        for kind, value, number in lines:
            if kind == "import":
                self.terms.imports.append(_value(value))
            if kind in ("id", "is_a", "relationship", "is_obsolete") and _IDENTIFIER.fullmatch(value):
                msg = f"'{kind}:' belongs to a term, and none has begun: put a line [Term] above"
                raise self.error(number, msg)

    def _typedef(self, lines: list[Line]) -> None:
        known = name = inverse = None
        for kind, value, number in lines:
            if kind == "id":
                known = self._identifier(value, number)
            elif kind == "name":
                name = _value(value)
            elif kind == "inverse_of":
                inverse = self._identifier(value, number)
        if known:
            self.terms.type_names.setdefault(known, name or "")
            if inverse:
                self.terms.inverses.setdefault(known, inverse)

    def _term(self, lines: list[Line]) -> None:
        """A term: its id first, wherever it stands."""
        terms, identifier = self.terms, self._identifier
        ids = [line for line in lines if line[0] == "id"]
        if not ids:
            msg = "this term has no 'id:'"
            raise self.error(self._start, msg)
        _, value, number = ids[0]
        term = identifier(value, number)
        for _, value, number in ids[1:]:
            if identifier(value, number) != term:
                msg = f"a second id for the term {term!r}: begin every term with a line [Term]"
                raise self.error(number, msg)
        position, add_edge = terms.define(term, self._start), terms.add_edge
        for kind, value, number in lines:
            if kind == "is_a":
                add_edge(position, identifier(value, number), "is_a", number)
            elif kind == "name":
                terms.set_name(position, _value(value) or None, number)
            elif kind == "namespace":
                terms.set_namespace(position, identifier(value, number), number)
            elif kind == "relationship":
                self._relationship(position, value, number)
            elif kind == "alt_id":
                terms.alternatives.setdefault(self._identifier(value, number), term)
            elif kind == "equivalent_to":
                terms.equivalent.append((term, self._identifier(value, number)))
            elif kind == "replaced_by":
                terms.replaced.setdefault(term, self._identifier(value, number))
            elif kind == "consider":
                terms.considered.setdefault(term, []).append(self._identifier(value, number))
            elif kind == "intersection_of":
                if _IDENTIFIER.fullmatch(value):  # without a relation before it
                    terms.add_genus(position, self._identifier(value, number), number)
            elif kind == "is_obsolete":
                self._obsolete(position, value, number)
            elif kind == "property_value" and (mark := _OPEN.match(value)):
                (terms.opened if mark[1] else terms.closed).add(position)
            elif kind == "property_value" and "has_rank" in value:
                rank = _RANK.match(value)
                if rank:
                    terms.ranks[position] = unescaped(rank[1]) if rank[1] is not None else short_rank(rank[2])
            elif kind in _SYNONYMS:
                found = _SYNONYM.match(value)
                if found:
                    scope = kind.removesuffix("synonym").rstrip("_") or (found[2] or "related").lower()
                    terms.synonyms.append((position, scope, unescaped(found[1])))

    def _relationship(self, position: int, value: str, number: int) -> None:
        match = _RELATIONSHIP.fullmatch(value)
        if match is None:
            msg = "expected a relation type and a term, such as 'relationship: part_of GO:0005623'"
            raise self.error(number, msg, "relationship")
        relation, parent = unescaped(match[1]), match[2]
        if relation == "is_a":
            parent = self._identifier(parent, number)
        self.terms.add_edge(position, parent, relation, number)

    def _obsolete(self, position: int, value: str, number: int) -> None:
        text = _value(value)
        if text not in ("true", "false"):
            msg = f"is_obsolete is {text!r}; it must be true or false"
            raise self.error(number, msg)
        if text == "true":
            self.terms.obsolete.add(position)

    def _identifier(self, value: str, number: int) -> str:
        """Return the identifier that a value consists of, except for modifiers and a comment."""
        match = _PLAIN.match(value)
        if match is not None:
            return match[1]
        match = _IDENTIFIER.fullmatch(value)
        if match is None:
            shown = value.strip(_BLANKS)
            msg = (
                f"expected one identifier, not {shown[:80]!r}: a blank in it is '\\W', modifiers stand in braces, "
                "comments after '!'"
            )
            raise self.error(number, msg, shown or None)
        return unescaped(match[1])


def _joined(lines: list[str]) -> list[str]:
    """Return lines that end in a backslash with the ones after them, in whose place an empty line stands."""
    out: list[str] = []
    parts: list[str] = []  # of the line that goes on
    for line in lines:
        out.append("")
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2
        parts.append(line[:-1] if goes_on else line)
        if not goes_on:
            out[-len(parts)] = "".join(parts)
            parts.clear()
    if parts:
        out[-len(parts)] = "".join(parts)
    return out


def unescaped(text: str) -> str:
    r"""Return text with its escapes resolved: ``\n``, ``\t``, ``\W`` and characters that stand for themselves."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text)


def _value(text: str) -> str:
    """Free text without modifiers, comment and blanks around. A comment begins with a "!" behind a blank."""
    if "!" in text:
        comment = _COMMENT.search(text)
        if comment:
            text = text[: comment.start()]
    if "{" in text:
        text = _MODIFIERS.sub("", text)
    return unescaped(text.strip(_BLANKS))


@kept
def read_obo(
    path: Source,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
    genus: bool = True,
    placeholders: bool | str | Iterable[str] = True,
) -> Ontology:
    r"""Read the terms of an OBO file and how they stand below each other.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2 and xz are unpacked.
    relations : str, iterable of str, or None
        The types of relations that make edges, by their id or name (``"part_of"``). ``None`` takes the relations that
        place a term below another: is_a and part_of. Others point elsewhere: name them if you want. Types that point
        down (has_part, or what the file states to be the inverse of part_of) are turned into their inverses.
    root : str or iterable of str, optional
        Only these terms and their descendants.
    namespace : str or iterable of str, optional
        Only terms of these namespaces, such as ``"biological_process"``. Edges between namespaces go.
    obsolete : bool
        If True, keep obsolete terms. Without them their edges go, too.
    genus : bool
        True if the genus of a defined term is a parent (is_a), too, unless it follows from other parents: the term
        alone in an ``intersection_of`` line. If False, terms whose only parent it is are open.
    placeholders : bool, str or iterable of str
        Names that are not taxa, such as "unclassified cell" and "environmental samples". Inner terms with such a name
        are left out, and what is below them is open (`Ontology.contract`), as are leaf terms such as "Felis sp. 7".
        Names extend the known ones, False takes every name for a taxon.

    Returns
    -------
    Ontology
        Terms by their identifiers, in the order of the file, with their names and, where the file has them
        (``property_value: has_rank``), ranks. Edges in the order of the file.

    See Also
    --------
    read_owl, read_obograph : the same from the other formats of ontologies.

    Notes
    -----
    Terms that are referred to but not defined, as in a part of a file or with an import, are kept, without a name,
    behind all others. They are left out when a `namespace` is asked for, theirs being unknown. A parent given by its
    secondary identifier (``alt_id``) is the term that has it. Terms with neither parents nor children beside others
    are open: nothing tells their place.

    Examples
    --------
    >>> import io
    >>> text = "[Term]\nid: b\nis_a: a\n[Term]\nid: c\nrelationship: part_of b\n"
    >>> read_obo(io.StringIO(text)).roots
    ['c', 'a']
    >>> read_obo(io.StringIO(text), relations=None).roots
    ['a']
    """
    terms = OboText(*read_bytes(path)).terms
    return terms.ontology(
        relations=relations, root=root, namespace=namespace, obsolete=obsolete, genus=genus, placeholders=placeholders
    )


@kept
def parse_obo(
    text: str,
    *,
    relations: str | Iterable[str] | None = ("is_a",),
    root: str | Iterable[str] | None = None,
    namespace: str | Iterable[str] | None = None,
    obsolete: bool = False,
    genus: bool = True,
    placeholders: bool | str | Iterable[str] = True,
) -> Ontology:
    r"""Read the terms of an OBO text.

    Parameters
    ----------
    text : str
    relations, root, namespace, obsolete, genus, placeholders
        As in `read_obo`.

    Returns
    -------
    Ontology

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
    terms = OboText(text, None).terms
    return terms.ontology(
        relations=relations, root=root, namespace=namespace, obsolete=obsolete, genus=genus, placeholders=placeholders
    )


def obo_synonyms(path: Source, *, scopes: str | Iterable[str] = ("exact",)) -> dict[str, list[str]]:
    """Return the other names of terms of an OBO file. See `tripletree.io.read_synonyms`."""
    return OboText(*read_bytes(path), synonyms=True).terms.other_names(scopes)


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
        As in `write_newick`. By default the text is returned.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two terms are the same once written as text (1 and "1").

    Notes
    -----
    Terms, names, ranks, edges and their types are read back as they are by ``read_obo(path, relations=...)``, edges
    in the order of their children. An open term has the line ``property_value: incertae_sedis "true" xsd:boolean``,
    one that is alone beside others and not open has "false" there.
    Identifiers that are not strings are written as ``str(term)``.

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
    ids = as_texts(ontology.terms, " once all terms are written as text")
    stanzas = _stanzas(ontology, [_escaped(x, _IN_ID) for x in ids])
    return write_text(stanzas, path)


_IN_TEXT = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "!": "\\!", "{": "\\{", "}": "\\}", '"': '\\"'}
_IN_ID = {**_IN_TEXT, " ": "\\W", ",": "\\,"}


def _escaped(text: str, escapes: dict[str, str], what: str = "identifier") -> str:
    """Return text as it must stand in OBO to be read back unchanged."""
    if not text or "\r" in text:
        msg = f"the {what} {text!r} cannot be written as OBO, which holds neither empty texts nor carriage returns"
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
    opened = [False] * len(ids) if ontology.incertae_sedis is None else ontology.incertae_sedis.tolist()
    alone = np.zeros(len(ids), np.bool_)
    if len(ontology.edges):
        alone = ontology.n_parents == 0
        alone[ontology.edges[:, 1]] = False
    yield "format-version: 1.4\n"
    for u, term in enumerate(ids):
        yield f"\n[Term]\nid: {term}\n"
        if names[u] is not None:
            yield f"name: {names[u]}\n"
        rank = ranks[u]
        if rank is not None:
            yield f'property_value: has_rank "{_escaped(rank, _IN_TEXT)}" xsd:string\n'
        if opened[u]:
            yield 'property_value: incertae_sedis "true" xsd:boolean\n'
        elif alone[u]:
            yield 'property_value: incertae_sedis "false" xsd:boolean\n'
        yield from above[u]
    for relation in sorted(set(ontology.relations)):
        if relation != "is_a":
            shown = _escaped(relation, _IN_ID)
            yield f"\n[Typedef]\nid: {shown}\nname: {_escaped(relation, _IN_TEXT)}\n"


_SIGN = re.compile(r"^(format-version:|\[(Term|Typedef|Instance)\]|ontology:|id: *\S+:\S+)", re.M)


def _recognize(start: FileStart) -> str | None:
    return "it has the stanzas of OBO" if _SIGN.search(start.body[:4096]) else None


FORMAT = FileFormat("obo", "OBO", ontology=read_obo, synonyms=obo_synonyms, recognize=_recognize)
