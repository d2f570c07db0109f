"""NEXUS: the trees of TREES blocks, with their TRANSLATE tables.

The reader takes any number of TREES blocks and passes over blocks of other kinds. It takes TREE and UTREE commands with
names in quotes or without, comments in square brackets anywhere, nested ones too (left out, annotations such as
``[&rate=0.1]`` among them), and keywords in upper or lower case. The tree strings are Newick, read as `read_newick`
does.

A leaf's label stands for the name that TRANSLATE gives it, else for the taxon with that name, else for the taxon with
that number in the file's one TAXA block, else for itself. Names of inner nodes stay as they are: a support value such
as 100 is not a taxon. A tree is rooted where it is written, unless ``[&U]`` or the command UTREE says that it has no
root, or PROPERTIES says so of all trees of its block.

Why not by a library: commonnexus 2.0.0 raises a RecursionError on a tree of 3,000 levels (DendroPy 5.1.3 and Biopython
1.88 do, too), tells no places, and answers damaged files with AttributeError and AssertionError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from tripletree.core.checks import check_choice
from tripletree.core.confidence import SUPPORT_KEYS
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.errors import ParseError, error_at, locate
from tripletree.io.forest import PlaceholderNames, TreeFile, one_of
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.newick import Blanks, Decimal, Lengths, NewickText, Underscores, label_texts, unblanked, write_newick
from tripletree.io.node_list import selected
from tripletree.io.source import Source, Target, read_text, write_text

# ----------------------------------------------------------------------
# NEXUS text cut into commands, with their places, the definitions of TRANSLATE and TAXLABELS, and the TREE commands.

_HEADER = re.compile(r"\s*#NEXUS(?!\w)", re.IGNORECASE)
# the ends of commands, and the marks that can hide them
_DOUBLE = r"""(?<![^\s,=(])"[^";\n]*+"(?=[\s,;:=)\[]|\Z)"""
_MARK = re.compile(rf"'(?:[^']++|'')*+'|{_DOUBLE}|[';\[\]]")
_BRACKET = re.compile(r"[\[\]]")
_WORD = re.compile(rf"'(?:[^']++|'')*+'|{_DOUBLE}|[,=]|[^\s',=]+")
_FIRST = re.compile(r"\s*([A-Za-z_]*)")
_TREE = re.compile(
    r"\s*(?P<u>u?)tree(?![A-Za-z_])\s*+(?:\*\s*+)?(?:(?P<quoted>'(?:[^']++|'')*+')\s*+|(?P<name>[^=']*+))=",
    re.IGNORECASE,
)
#: A tree whose name is a comment, with TREE or without, as SplitsTree writes it: ``[tree1] (a,b)``.
_NOTE = r"(?:\[[^\[\]]*\]\s*+)"
_BARE_TREE = re.compile(
    rf"\s*{_NOTE}*?(?:tree(?![A-Za-z_])\s*+)?{_NOTE}*?\[(?!\d+\]|&)(?P<name>[^\[\]]+)\]\s*+=?(?=\s*+{_NOTE}*+\()",
    re.IGNORECASE,
)
_ROOTED = re.compile(r"(?<!=)\b(no\s+)?rooted(?:\s*=\s*(\w+))?", re.IGNORECASE)


@dataclass
class NexusTree:
    """One TREE command: name, places of its Newick and of its semicolon, its block, if it is a UTREE."""

    name: str
    start: int
    stop: int
    block: _TreesBlock
    unrooted: bool = False


@dataclass
class _TreesBlock:
    """The part that the TREE commands of one block share."""

    start: int
    name: str
    translate: dict[str, str] = field(default_factory=dict)
    rooted: bool | None = None
    """What PROPERTIES says of all trees, as SplitsTree writes it."""


class NexusText(TreeFile):
    """The trees of a NEXUS text. The Newick of each is read when asked for.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    underscores : {"keep", "blank"}
        Meaning of underscores outside of quotes.
    """

    def __init__(
        self, text: str, *, path: str | None, underscores: Underscores, decimal: Decimal | None = None
    ) -> None:
        self._decimal = decimal
        check_choice(underscores, "underscores", ("keep", "blank"))
        self._text, self.path, self._underscores = text, path, underscores
        if not _HEADER.match(text):
            raise self._error(
                "a NEXUS file starts with '#NEXUS', and this one does not; read_newick reads bare trees", 0
            )
        self.trees: list[NexusTree] = []
        self._told: set[int] = set()
        #: The labels of the one TAXA block, which a tree may name by their numbers. None if there are several.
        self._taxa: list[str] = []
        self._block: _TreesBlock | None = None
        self._cut()
        self._known = frozenset(self._taxa)

    @property
    def names(self) -> list[str]:
        return [x.name for x in self.trees]

    def read(self, k: int, *, keys: Sequence[str] = SUPPORT_KEYS, sure: bool = False) -> Hierarchy:
        """Read the tree of one TREE command."""
        reader, rooted = self._reader(self.trees[k]), self.trees[k].block.rooted
        if reader.tells_root(0) or rooted is not None:
            self._told.add(k)
        found = reader.read(0, keys=keys, sure=sure)
        return found._but(rooted=False) if rooted is False else found

    def tells_root(self, k: int) -> bool:
        return k in self._told

    def network(self, k: int) -> Ontology:
        """Read the network of one TREE command."""
        return self._reader(self.trees[k]).network(0)

    def _reader(self, tree: NexusTree) -> NewickText:
        meaning = _Meaning(tree.block.translate, self._taxa, self._known)
        reader = _TreeText(
            self._text, tree, meaning, path=self.path, underscores=self._underscores, decimal=self._decimal
        )
        if reader.n_trees > 1:  # a ' in double quotes, which are quotes to Newick alone
            raise reader.error_at(reader.second_tree(), "a ';' in the middle of a TREE command: are its quotes right?")
        return reader

    # ------------------------------------------------------------------ commands

    def _cut(self) -> None:
        """Go through the commands, each up to its semicolon. Comments are blanked out."""
        text = self._text
        start = seek = _HEADER.match(text).end()  # type: ignore[union-attr]
        parts: list[str] = []
        kept_to = start
        while found := _MARK.search(text, seek):
            seek = found.end()
            token = found.group()
            if len(token) > 1:
                continue
            if token == "[":
                stop = self._comment_end(found.start())
                parts += [text[kept_to : found.start()], " " * (stop - found.start())]
                kept_to = seek = stop
            elif token == ";":
                parts.append(text[kept_to : found.start()])
                self._command("".join(parts), start, found.start())
                start = kept_to = seek
                parts = []
            elif token == "]":
                raise self._error("this ']' closes no comment; a label with brackets must stand in quotes", seek - 1)
            else:
                raise self._error("this quote is never closed; a ' inside of quotes must be doubled", seek - 1)
        rest = "".join([*parts, text[kept_to:]])
        if rest.strip():
            at = start + len(rest) - len(rest.lstrip())
            raise self._error("the text ends without the ';' that ends this command", at)
        if self._block is not None:
            raise self._error(f"the block {self._block.name!r} is never ended: 'END;' is missing", self._block.start)

    def _comment_end(self, start: int) -> int:
        """Return the place where the text goes on behind a comment. Comments may stand in each other."""
        depth, stop = 1, start + 1
        while depth:
            bracket = _BRACKET.search(self._text, stop)
            if bracket is None:
                raise self._error("this comment is never closed: a ']' is missing", start)
            depth += 1 if bracket.group() == "[" else -1
            stop = bracket.end()
        return stop

    def _command(self, command: str, start: int, stop: int) -> None:
        """Take in one command, which is ``text[start:stop]`` with its comments blanked."""
        if not command.strip():
            return  # nothing between two semicolons
        found = _FIRST.match(command)
        word, behind = (found[1].lower(), found.end()) if found else ("", 0)
        rest = command[behind:].strip()
        at = start + len(command) - len(command.lstrip())
        if word == "begin":
            if self._block is not None:
                raise self._error(f"a block begins before {self._block.name!r} is ended: 'END;' is missing", at)
            if not rest or len(rest.split()) > 1:
                raise self._error(f"expected BEGIN, the name of a block and ';', got {command.strip()[:60]!r}", at)
            self._block = _TreesBlock(at, rest)
        elif self._block is None:
            raise self._error(f"the command {command.split()[0][:40]!r} stands outside of all blocks", at)
        elif word in ("end", "endblock"):
            if rest:
                raise self._error(f"{word.upper()} wants a ';' right behind it, not {rest[:40]!r}", at)
            self._block = None
        elif word == "taxlabels":
            labels = [self._plain(m[0]) for m in _WORD.finditer(command, behind) if m[0] != ","]
            self._taxa = [] if self._taxa else labels
        elif self._block.name.lower() == "trees" and word == "translate":
            self._translate(self._block, command, start, behind)
        elif self._block.name.lower() == "trees" and word in ("tree", "utree"):
            self._tree(self._block, command, start, stop)
        elif self._block.name.lower() == "trees" and word == "properties":
            if said := _ROOTED.search(command):
                self._block.rooted = not said[1] and (said[2] or "yes").lower() in ("yes", "true")
        elif self._block.name.lower() == "trees" and command.lstrip()[0] == "(":
            if _BARE_TREE.match(self._text, start, stop):
                self._tree(self._block, command, start, stop)
                return
            msg = "a ';' in the middle of a TREE command, or a tree without TREE, a name and '=': are its quotes right?"
            raise self._error(msg, at)

    def _plain(self, token: str) -> str:
        """Return the text that a token stands for."""
        if token[0] == "'":
            return token[1:-1].replace("''", "'")
        if len(token) > 1 and token[0] == token[-1] == '"':
            return token[1:-1]
        return token.replace("_", " ") if self._underscores == "blank" else token

    def _translate(self, block: _TreesBlock, command: str, start: int, behind: int) -> None:
        """Take in a table of keys and labels, ``1 human, 2 'Pan troglodytes'``."""
        entries: list[list[re.Match[str]]] = [[]]
        for m in _WORD.finditer(command, behind):
            if m[0] == ",":
                entries.append([])
            else:
                entries[-1].append(m)
        if not entries[-1]:
            entries.pop()  # a comma before the end, as some programs write it
        for entry in entries:
            if len(entry) != 2 or entry[0][0] == "=" or entry[1][0] == "=":
                at = start + (entry[min(2, len(entry) - 1)].start() if entry else behind)
                msg = "TRANSLATE wants a key, a label and a ',' each time; a label with blanks must stand in quotes"
                raise self._error(msg, at)
            key = self._plain(entry[0][0])
            if key in block.translate:
                raise self._error(f"TRANSLATE gives {key!r} two meanings", start + entry[0].start())
            block.translate[key] = self._plain(entry[1][0])

    def _tree(self, block: _TreesBlock, command: str, start: int, stop: int) -> None:
        """Take in where a tree stands, ``TREE * name = [&R] (a,b)``."""
        found = _TREE.match(command)
        name = (found["quoted"] or found["name"].strip()) if found else ""
        if (found is None or not name) and (bare := _BARE_TREE.match(self._text, start, stop)):
            self.trees.append(NexusTree(bare["name"].strip(), bare.end(), stop, block))
            return
        if found is None or not name:
            at = start + len(command) - len(command.lstrip())
            raise self._error("a TREE command wants a name and a '=' before the tree", at)
        self.trees.append(NexusTree(self._plain(name), start + found.end(), stop, block, bool(found["u"])))

    def _error(self, message: str, offset: int) -> ParseError:
        return error_at(offset, self._text, message, self.path)


class _Meaning:
    """The meaning of the labels of a tree: keys of TRANSLATE first, then the taxa, then the taxa's numbers."""

    def __init__(self, translate: dict[str, str], taxa: list[str], known: frozenset[str]) -> None:
        self._translate, self._taxa, self._known = translate, taxa, known

    def __bool__(self) -> bool:
        return bool(self._translate or self._taxa)

    def of(self, label: str) -> str:
        if label in self._translate:
            return self._translate[label]
        if label not in self._known and label.isascii() and label.isdecimal() and len(label) < 10:
            number = int(label)
            if 1 <= number <= len(self._taxa):
                return self._taxa[number - 1]
        return label


class _TreeText(NewickText):
    """The Newick of one TREE command. Errors name the place in the whole file, labels get their meaning."""

    def __init__(
        self,
        whole: str,
        tree: NexusTree,
        meaning: _Meaning,
        *,
        path: str | None,
        underscores: Underscores,
        decimal: Decimal | None,
    ) -> None:
        self._whole, self._start, self._meaning = whole, tree.start, meaning
        self._rooted_by_default = not tree.unrooted
        super().__init__(whole[tree.start : tree.stop + 1], path=path, underscores=underscores, decimal=decimal)

    def _meant(self, labels: list[str]) -> list[str]:
        return [self._meaning.of(x) for x in labels] if self._meaning else labels

    def _error_in_text(self, message: str, offset: int) -> ParseError:
        return error_at(self._start + offset, self._whole, message, self.path)

    def _at(self, k: int) -> str:
        line, column, _ = locate(self._whole, self._start + self._offset(k))
        return f"line {line}, column {column}"


# words that every program takes without quotes: an underscore is a blank to some, signs are punctuation
_PLAIN = re.compile(r"[A-Za-z0-9.]+")
_INNER_NAME = re.compile(r"'(?:[^']++|'')*+'|\)([^'()\[:,;]+)")


@kept
def read_nexus(
    path: Source,
    *,
    tree: str | int | None = None,
    join: bool = False,
    outgroup: Any = None,
    rooted: bool | None = None,
    underscores: Underscores = "keep",
    decimal: Decimal | None = None,
    placeholders: PlaceholderNames = True,
) -> Hierarchy:
    """Read one hierarchy of a NEXUS file.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    tree : str or int, optional
        Which tree: its name, or its position in the file, from 0. May be left out if there is only one.
    join, outgroup, rooted
        As in `read_newick`: all trees below one root, where to put the root of a tree, whether it has one. A tree that
        is joined is named as its command is.
    underscores : {"keep", "blank"}
        Meaning of underscores outside of quotes: themselves (as most programs have it), or blanks (as the
        NEXUS standard says).
    decimal : {".", ","}, optional
        The decimal mark of branch lengths, as in `read_newick`.
    placeholders : bool, str or iterable of str
        Names of inner nodes that are not taxa, as in `read_newick`.

    Returns
    -------
    Hierarchy
        As `read_newick` gives it.

    See Also
    --------
    read_hierarchies : every tree of a file, with its name.

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
    file = nexus_file(path, underscores=underscores, decimal=decimal)
    return one_of(file, tree=tree, join=join, outgroup=outgroup, rooted=rooted, placeholders=placeholders)


def nexus_file(path: Source, *, underscores: Underscores = "keep", decimal: Decimal | None = None) -> NexusText:
    """Return the trees of a NEXUS file."""
    text, name = read_text(path)
    return NexusText(text, path=name, underscores=underscores, decimal=decimal)


def nexus_network(path: Source, *, tree: str | int | None = None, underscores: Underscores = "keep") -> Ontology:
    """Return a network of a NEXUS file as an ontology, for `read_ontology`."""
    file = nexus_file(path, underscores=underscores)
    return file.network(selected(file.names, tree, path=file.path))


# ---------------------------------------------------------------------- writing


@overload
def write_nexus(
    hierarchy: Hierarchy,
    path: None = None,
    *,
    tree: str = "tree1",
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
    support: Any = None,
) -> str: ...
@overload
def write_nexus(
    hierarchy: Hierarchy,
    path: Target,
    *,
    tree: str = "tree1",
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
    support: Any = None,
) -> None: ...
def write_nexus(
    hierarchy: Hierarchy,
    path: Target | None = None,
    *,
    tree: str = "tree1",
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
    support: Any = None,
) -> str | None:
    r"""Write a hierarchy as a NEXUS file with one TREES block.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    tree : str
        The tree's name.
    names, lengths, blanks, support
        As in `write_newick`: names of inner nodes, branch lengths, monotone ones on request, blanks as underscores,
        the support of the inner nodes, by default their own.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").

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
    return _written([(tree, check_hierarchy(hierarchy))], path, names, lengths, blanks, support)


@overload
def write_nexus_all(
    trees: Mapping[str, Hierarchy] | Iterable[tuple[str, Hierarchy]],
    path: None = None,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
) -> str: ...
@overload
def write_nexus_all(
    trees: Mapping[str, Hierarchy] | Iterable[tuple[str, Hierarchy]],
    path: Target,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
) -> None: ...
def write_nexus_all(
    trees: Mapping[str, Hierarchy] | Iterable[tuple[str, Hierarchy]],
    path: Target | None = None,
    *,
    names: bool = True,
    lengths: Lengths = True,
    blanks: Blanks = "quote",
) -> str | None:
    """Write several hierarchies as one TREES block of a NEXUS file.

    Parameters
    ----------
    trees : mapping of str to Hierarchy, or iterable of (str, Hierarchy)
        The trees and their names, as `read_hierarchies` gives them.
    path : path, file object or "-", optional
    names, lengths, blanks
        As in `write_nexus`.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Examples
    --------
    >>> text = write_nexus_all({"x": Hierarchy.from_nested(["a", "b"]), "y": Hierarchy.from_nested(["b", "c"])})
    >>> import io
    >>> from tripletree.io import read_hierarchies
    >>> [(name, list(h.leaves)) for name, h in read_hierarchies(io.StringIO(text))]
    [('x', ['a', 'b']), ('y', ['b', 'c'])]
    """
    if isinstance(trees, Hierarchy):
        msg = "expected several hierarchies with names, not one: use write_nexus, or give a mapping"
        raise TypeError(msg)
    pairs = list(trees.items() if isinstance(trees, Mapping) else trees)
    return _written([(str(x), check_hierarchy(h)) for x, h in pairs], path, names, lengths, blanks)


def _written(
    trees: list[tuple[str, Hierarchy]],
    path: Target | None,
    names: bool,
    lengths: Lengths,
    blanks: Blanks,
    support: Any = None,
) -> str | None:
    check_choice(blanks, "blanks", ("quote", "underscore"))
    number: dict[str, str] = {}  # of each label, as text
    for _, hierarchy in trees:
        for label in hierarchy.leaves:
            number.setdefault(unblanked(str(label), blanks), str(len(number) + 1))
    parts = ["#NEXUS\nBEGIN TREES;\n"]
    if number:
        parts.append("    TRANSLATE\n")
        parts.append(",\n".join(f"        {k} {_quoted(label, blanks)}" for label, k in number.items()))
        parts.append(";\n")
    for name, hierarchy in trees:
        text = _newick(hierarchy, number, names=names, lengths=lengths, blanks=blanks, support=support)
        rooting = "[&R]" if hierarchy.rooted else "[&U]"
        parts.append(f"    TREE {_quoted(unblanked(name, blanks), blanks)} = {rooting} {text}\n")
    parts.append("END;\n")
    return write_text(parts, path)


def _newick(
    hierarchy: Hierarchy, number: dict[str, str], *, names: bool, lengths: Lengths, blanks: Blanks, support: Any
) -> str:
    """Return the hierarchy as Newick, its leaves by their numbers, and names quoted as NEXUS wants it."""
    leaves = [number[label] for label in label_texts(hierarchy, blanks)]
    numbered = hierarchy._but(leaves=leaves, synonyms=None, rooted=True)
    text = write_newick(numbered, names=names, lengths=lengths, blanks=blanks, support=support)
    return _INNER_NAME.sub(lambda m: ")" + _quoted(m[1], blanks) if m[1] else m[0], text)


def _quoted(label: str, blanks: Blanks) -> str:
    """Return a NEXUS word that every program reads back as this label, except for underscores if they are asked for."""
    if blanks == "underscore" and _PLAIN.fullmatch(label.replace("_", "")):
        return label
    return label if _PLAIN.fullmatch(label) else "'" + label.replace("'", "''") + "'"


def _recognize(start: FileStart) -> str | None:
    return "it begins with #NEXUS" if start.body[:6].lower() == "#nexus" else None


FORMAT = FileFormat(
    "nexus",
    "NEXUS",
    read=read_nexus,
    trees=nexus_file,
    ontology=nexus_network,
    write=write_nexus,
    extensions=(".nex", ".nexus", ".nxs"),
    recognize=_recognize,
)
