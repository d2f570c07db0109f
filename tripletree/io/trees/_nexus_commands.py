"""NEXUS text cut into commands, with their places; what TRANSLATE and TAXLABELS say, and the TREE commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tripletree.errors import DuplicateLeafError, ParseError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import place
from tripletree.io.trees._newick_tokens import NewickText, Underscores
from tripletree.leaves import LeafIndex

__all__ = ["NexusText", "NexusTree"]

_HEADER = re.compile(r"\s*#NEXUS(?!\w)", re.IGNORECASE)
# what ends a command, and what can hide it
_MARK = re.compile(r"'(?:[^']++|'')*+'|[';\[\]]")
_BRACKET = re.compile(r"[\[\]]")
_WORD = re.compile(r"'(?:[^']++|'')*+'|[,=]|[^\s',=]+")
_FIRST = re.compile(r"\s*([A-Za-z_]*)")
_TREE = re.compile(
    r"\s*u?tree(?![A-Za-z_])\s*+(?:\*\s*+)?(?:(?P<quoted>'(?:[^']++|'')*+')\s*+|(?P<name>[^=']*+))=", re.IGNORECASE
)


@dataclass
class NexusTree:
    """One TREE command: its name, where its Newick starts and where its semicolon stands, what its labels mean."""

    name: str
    start: int
    stop: int
    block: _Block


@dataclass
class _Block:
    """What the TREE commands of one block share."""

    start: int
    name: str
    translate: dict[str, str] = field(default_factory=dict)


class NexusText:
    """The trees of a NEXUS text; the Newick of each is read when asked for.

    Parameters
    ----------
    text : str
    path : str or None
        The source's name, for messages.
    underscores : {"keep", "blank"}
        What underscores stand for outside of quotes.
    """

    def __init__(self, text: str, *, path: str | None, underscores: Underscores) -> None:
        if underscores not in ("keep", "blank"):
            msg = f"underscores must be 'keep' or 'blank', not {underscores!r}"
            raise ValueError(msg)
        self._text, self._path, self._underscores = text, path, underscores
        if not _HEADER.match(text):
            raise self._error(
                "a NEXUS file starts with '#NEXUS', and this one does not; read_newick reads bare trees", 0
            )
        self.trees: list[NexusTree] = []
        #: The labels of the one TAXA block, which a tree may name by their numbers; none where there are several.
        self._taxa: list[str] = []
        self._block: _Block | None = None
        self._cut()
        self._known = frozenset(self._taxa)

    def hierarchy(self, tree: NexusTree) -> Hierarchy:
        """Read the tree of one TREE command."""
        meaning = _Meaning(tree.block.translate, self._taxa, self._known)
        reader = _TreeText(self._text, tree, meaning, path=self._path, underscores=self._underscores)
        if reader.n_trees > 1:  # a ' in double quotes, which are quotes to Newick alone
            raise reader.error_at(reader.second_tree(), "a ';' in the middle of a TREE command: are its quotes right?")
        return next(iter(reader))

    # ------------------------------------------------------------------ commands

    def _cut(self) -> None:
        """Go through the commands, each up to its semicolon; comments are blanked out of what is looked at."""
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
        """Where the text goes on behind a comment; comments may stand in each other."""
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
                raise self._error(f"wanted is BEGIN, the name of a block and ';', not {command.strip()[:60]!r}", at)
            self._block = _Block(at, rest)
        elif self._block is None:
            raise self._error(f"the command {command.split()[0][:40]!r} stands outside of all blocks", at)
        elif word in ("end", "endblock"):
            if rest:
                raise self._error(f"{word.upper()} wants a ';' right behind it, not {rest[:40]!r}", at)
            self._block = None
        elif word == "taxlabels":
            self._taxa = [] if self._taxa else [self._plain(m[0]) for m in _WORD.finditer(command, behind)]
        elif self._block.name.lower() == "trees" and word == "translate":
            self._translate(self._block, command, start, behind)
        elif self._block.name.lower() == "trees" and word in ("tree", "utree"):
            self._tree(self._block, command, start, stop)

    def _plain(self, token: str) -> str:
        """What a token stands for."""
        if token[0] == "'":
            return token[1:-1].replace("''", "'")
        return token.replace("_", " ") if self._underscores == "blank" else token

    def _translate(self, block: _Block, command: str, start: int, behind: int) -> None:
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
                raise self._error(f"TRANSLATE says twice what {key!r} stands for", start + entry[0].start())
            block.translate[key] = self._plain(entry[1][0])

    def _tree(self, block: _Block, command: str, start: int, stop: int) -> None:
        """Take in where a tree stands, ``TREE * name = [&R] (a,b)``."""
        found = _TREE.match(command)
        name = (found["quoted"] or found["name"].strip()) if found else ""
        if found is None or not name:
            at = start + len(command) - len(command.lstrip())
            raise self._error("a TREE command wants a name and a '=' before the tree", at)
        self.trees.append(NexusTree(self._plain(name), start + found.end(), stop, block))

    def _error(self, message: str, offset: int) -> ParseError:
        line, column, shown = place(self._text, offset)
        return ParseError(message, path=self._path, line=line, column=column, text=shown)


class _Meaning:
    """What the labels of a tree stand for: keys of TRANSLATE first, then the taxa, then the taxa's numbers."""

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
    """The Newick of one TREE command; errors name the place in the whole file, labels get their meaning."""

    def __init__(
        self, whole: str, tree: NexusTree, meaning: _Meaning, *, path: str | None, underscores: Underscores
    ) -> None:
        self._whole, self._start, self._meaning = whole, tree.start, meaning
        super().__init__(whole[tree.start : tree.stop + 1], path=path, underscores=underscores)

    def _hierarchy(self, first: int, parent, labels, names, lengths, owners) -> Hierarchy:
        hierarchy = super()._hierarchy(first, parent, labels, names, lengths, owners)
        if not self._meaning:
            return hierarchy
        meant = [self._meaning.of(x) for x in hierarchy.leaves]
        try:
            leaves = LeafIndex(meant)
        except DuplicateLeafError as error:
            raise self._duplicate_error(first, meant, error.labels[0], len(error.labels)) from None
        return Hierarchy(hierarchy.parent, leaves, length=hierarchy.length, names=hierarchy.names)

    def _error_in_text(self, message: str, offset: int) -> ParseError:
        line, column, shown = place(self._whole, self._start + offset)
        return ParseError(message, path=self._path, line=line, column=column, text=shown)

    def _at(self, k: int) -> str:
        line, column, _ = place(self._whole, self._start + self._offset(k))
        return f"line {line}, column {column}"
