"""XML as a stream of elements, from the standard library's parser, guarded.

A document type is refused before anything in it is read, and with it entities that grow without bound ("billion
laughs") and entities that stand for other files. If a format's real files declare entities (OWL), only ones that
stand for short plain text are let in. Nothing is ever fetched. Elements leave memory once they have been handed out.

Three ways of reading:

- `XmlEvents`: the start and the end of every element, lazily, for nested formats.
- `XmlChildren`: the children of the root, each whole, lazily, for flat formats (many times faster: no step per inner
  element).
- `XmlHandlers`: functions that the parser calls at the start and the end of every element, for nested formats of many
  elements. No element is made, which takes half the time.

All know where they are: ``raise events.error("...")`` names the line and column at which the element starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from tripletree.errors import ParseError

#: Bytes handed to the parser at a time.
CHUNK = 1 << 16
#: Elements inside each other. Formats that nest trees ask for more.
MAX_DEPTH = 10_000
#: Characters that a plain entity may stand for.
MAX_ENTITY = 1_000
#: Ends of lines as the parser counts them.
_LINE_END = re.compile(rb"\r\n|\n|\r")

Content = bytes | str
Item = TypeVar("Item")


class _XmlReader(Generic[Item]):
    """Shared by both ways: the guard, errors with their place, and the steps from chunk to chunk.

    Parameters
    ----------
    content : bytes or str
        The whole document, as `tripletree.io.source.read_bytes` gives it. Bytes in the encoding that they declare.
    path : str or None
        The name for messages.
    max_depth : int
        More elements than this inside each other are refused.
    plain_entities : bool
        If True, let entities in that the document itself declares to stand for short text without references.
    """

    #: Depth (the root's is 1) of the elements that `here` counts. None for all elements.
    counted_depth: int | None = None

    def __init__(
        self, content: Content, path: str | None = None, *, max_depth: int = MAX_DEPTH, plain_entities: bool = False
    ) -> None:
        self.path = path
        #: The latest element, by its number: how many (counted) elements started before it. Keep it for `error`.
        self.here = -1
        self._content = content
        self._max_depth = max_depth
        self._plain_entities = plain_entities
        self._items = self._run()

    def __iter__(self) -> Iterator[Item]:
        return self._items  # a step by `__next__` takes longer

    def __next__(self) -> Item:
        return next(self._items)

    def error(self, message: str, *, at: int | None = None) -> ParseError:
        """A ParseError at the start of the latest element, or of an earlier one, `at` being `here` at its time."""
        wanted = self.here if at is None else at
        if wanted < 0:
            return ParseError(message, path=self.path)
        parser = expat.ParserCreate()
        seen, depth, line, column = 0, 0, 1, 0

        def start(tag: str, attributes: dict) -> None:
            nonlocal seen, depth, line, column
            depth += 1
            if self.counted_depth in (None, depth):
                if seen == wanted:
                    line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber
                    raise _Stop
                seen += 1

        def end(tag: str) -> None:
            nonlocal depth
            depth -= 1

        parser.StartElementHandler, parser.EndElementHandler = start, end
        try:
            for chunk in self._chunks():
                parser.Parse(chunk, False)
        except _Stop:
            return self._error_at(message, line, column)
        except expat.ExpatError:
            pass  # cannot be: this far it has been read once already
        return ParseError(message, path=self.path)

    def _run(self) -> Iterator[Item]:
        self._check_prolog()
        try:
            yield from self._read()
        except ElementTree.ParseError as error:
            line, column = error.position
            raise self._expat_error(error.code, line, column) from None

    def _read(self) -> Iterator[Item]:
        raise NotImplementedError

    def _chunks(self) -> Iterator[Content]:
        content = self._content
        for k in range(0, len(content), CHUNK):
            yield content[k : k + CHUNK]

    # ------------------------------------------------------------------ the guard

    def _check_prolog(self) -> None:
        """Read up to the start of the root, after which no declaration can stand, and refuse dangerous ones."""
        parser = expat.ParserCreate()

        def refuse(message: str) -> None:
            line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber
            raise self._error_at(message, line, column)

        def doctype(name: str, system: str | None, public: str | None, internal: bool) -> None:
            if system is not None or public is not None:
                refuse("this document type refers to another file, which is not read for safety: take the DOCTYPE out")
            if not self._plain_entities:
                refuse("document types (DOCTYPE), which can declare entities, are refused for safety: take it out")

        def entity(name: str, is_parameter: bool, value: str | None, *where: Any) -> None:
            if value is None:
                refuse(f"the entity {name!r} refers to another file, which is not read for safety")
            elif is_parameter or "&" in value or "%" in value or "<" in value:
                refuse(f"the entity {name!r} refers to others or holds markup: only plain text is let in, for safety")
            elif len(value) > MAX_ENTITY:
                refuse(f"the entity {name!r} has {len(value)} characters, and {MAX_ENTITY} are allowed, for safety")

        def declaration(*given: Any) -> None:
            refuse("declarations of elements, attributes or notations are refused for safety: take them out")

        def start(tag: str, attributes: dict) -> None:
            raise _Stop

        parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = doctype, entity
        parser.AttlistDeclHandler = parser.NotationDeclHandler = declaration
        parser.StartElementHandler = start
        try:
            for chunk in self._chunks():
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except _Stop:
            return
        except expat.ExpatError as error:
            raise self._expat_error(error.code, error.lineno, error.offset) from None
        except (LookupError, ValueError) as error:
            if isinstance(error, ParseError):
                raise
            msg = f"the encoding that this XML declares cannot be read ({error}); save it as UTF-8"
            raise ParseError(msg, path=self.path, line=1, column=1) from None

    def _check_depth(self, depth: int, at: int) -> None:
        if depth > self._max_depth:
            msg = f"more than {self._max_depth:,} elements stand inside each other here"
            raise self.error(msg, at=at)

    # ------------------------------------------------------------------ places

    def _expat_error(self, code: int, line: int, column: int) -> ParseError:
        reason = expat.ErrorString(code) or "unknown reason"
        return self._error_at(f"this is not well-formed XML: {reason}", line, column)

    def _error_at(self, message: str, line: int, column: int) -> ParseError:
        """Return an error at the parser's line (from 1) and column (from 0), with the line's text."""
        content = self._content if isinstance(self._content, bytes) else self._content.encode("utf-8", "replace")
        start = 0
        for end in islice(_LINE_END.finditer(content), line - 1):
            start = end.end()
        stop = _LINE_END.search(content, start, start + 4 * column + 400)
        shown = content[start : stop.start() if stop else start + 4 * column + 400].decode("utf-8", "replace")
        text = None if "\x00" in shown else shown
        return ParseError(message, path=self.path, line=line, column=column + 1, text=text)


class XmlEvents(_XmlReader[tuple[str, Element]]):
    """The start and the end of every element of a document: ``("start", element)`` and ``("end", element)``.

    At the start of an element only its tag and attributes are sure to be there. At the end also its text. After its
    end an element is emptied and taken out of its parent, so the caller must keep the parts it needs.
    """

    def _read(self) -> Iterator[tuple[str, Element]]:
        parser: Any = ElementTree.XMLPullParser(("start", "end"))
        parents: list[tuple[Element, int]] = []
        n_started = 0
        for chunk in (*self._chunks(), None):
            if chunk is None:
                parser.close()
            else:
                parser.feed(chunk)
            for event, element in parser.read_events():
                if event == "start":
                    self.here = n_started
                    n_started += 1
                    parents.append((element, self.here))
                    self._check_depth(len(parents), self.here)
                    yield "start", element
                    continue
                _, self.here = parents.pop()
                yield "end", element
                element.clear()
                if parents:
                    del parents[-1][0][0]  # its siblings before it are gone already


class XmlHandlers(_XmlReader[None]):
    """Functions that are called at the start and the end of every element of a document.

    The caller counts the elements in `here` for `error`, and ends reading by an error.
    """

    def __init__(self, content: Content, path: str | None = None) -> None:
        super().__init__(content, path)
        self._parser = expat.ParserCreate(None, "}")
        self._parser.buffer_text = True

    def run(self, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None]) -> None:
        """Read the document. Tags are ``namespace}name``, or the name alone."""
        self._check_prolog()
        parser = self._parser
        parser.StartElementHandler, parser.EndElementHandler = start, end
        try:
            for chunk in self._chunks():
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._expat_error(error.code, error.lineno, error.offset) from None

    def hear(self, keep: Callable[[str], None] | None) -> None:
        """From now on, hand text to a function, or drop it."""
        self._parser.CharacterDataHandler = keep


class XmlChildren(_XmlReader[Element]):
    """The children of a document's root, each whole. A child is emptied after it has been handed out."""

    counted_depth = 2
    #: The root: its tag and attributes, from the first child on (and at the end, without children).
    root: Element | None = None

    def _read(self) -> Iterator[Element]:
        builder = ElementTree.TreeBuilder()
        above = builder.start("document", {})  # holds the root, which makes it accessible while it grows
        parser = ElementTree.XMLParser(target=builder)
        for chunk in self._chunks():
            parser.feed(chunk)
            if len(above):
                self.root = root = above[0]
                self._check_depth(_open_depth(root), self.here + len(root))
                # the last child may still be growing
                for k in range(len(root) - 1):
                    self.here += 1
                    yield root[k]
                    root[k].clear()
                del root[:-1]
        parser.close()
        self.root = above[0]
        for child in self.root:
            self.here += 1
            yield child


def _open_depth(root: Element) -> int:
    """Return how many elements stand inside each other along the last ones, which may be open."""
    depth, element = 1, root
    while len(element):
        depth, element = depth + 1, element[-1]
    return depth


class _Stop(Exception):
    """Enough has been read."""
