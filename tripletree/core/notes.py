"""Notes on what a file said beside its tree: placeholders, other names, items without a taxon.

Readers make them. The value that a reader returns has them (`kept`), and `doubts` tells them with what the value
itself knows, to users, the report and ``tripletree info``. `collected` gives the notes of a block to callers whose own
values are parts of what was read. Notes are logged besides, at level INFO of the logger "tripletree.io".
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tripletree.core.checks import counted
from tripletree.core.rerooting import ways_to_root

if TYPE_CHECKING:
    from tripletree.core.hierarchy import Hierarchy
    from tripletree.core.ontology import Ontology

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("tripletree.io")


class Note(NamedTuple):
    """A finding of a reader.

    Attributes
    ----------
    topic : str
        Its subject in a word or two, such as "placeholders".
    text : str
        The finding: "41 placeholder nodes contracted".
    """

    topic: str
    text: str


#: The topic of the note on what was read, and which columns were not.
READING = "reading"
_notes: ContextVar[list[Note] | None] = ContextVar("_notes", default=None)


def note(topic: str, text: str) -> None:
    """Make a note."""
    _log.info("%s: %s", topic, text)
    found = _notes.get()
    if found is not None and Note(topic, text) not in found:
        found.append(Note(topic, text))


@contextmanager
def collected() -> Iterator[list[Note]]:
    """Collect the notes that are made within the block.

    Examples
    --------
    >>> with collected() as notes:
    ...     note("placeholders", "41 placeholder nodes contracted")
    >>> notes
    [Note(topic='placeholders', text='41 placeholder nodes contracted')]
    """
    found: list[Note] = []
    token = _notes.set(found)
    try:
        yield found
    finally:
        _notes.reset(token)


def kept(read: F) -> F:
    """Make a reader that gives its value the notes that were made while it was read."""

    @wraps(read)
    def reader(*arguments: Any, **options: Any) -> Any:
        with collected() as found:
            value = read(*arguments, **options)
        outer = _notes.get()
        if outer is not None:
            outer.extend(x for x in found if x not in outer)
        held = getattr(value, "_attributes", None)
        if held is not None and found:
            held["notes"] = tuple(dict.fromkeys([*held.get("notes", ()), *found]))
        return value

    return reader  # type: ignore[return-value]


def notes_of(value: Any) -> tuple[Note, ...]:
    """Return the notes that a value has from its reader."""
    found: tuple[Note, ...] = getattr(value, "_attributes", {}).get("notes", ())
    return found


#: The topic of notes on labels that are ids, where names stand beside them.
LABELS = "labels"


def on_labels(value: Any) -> str:
    """Advice where names are not found among labels: that the file has others beside them."""
    return "".join(f"; {x.text}" for x in notes_of(value) if x.topic == LABELS)


def doubts(value: Hierarchy | Ontology) -> list[str]:
    r"""Return what a file leaves open and what was made of it, a line each, as ``tripletree info`` shows it.

    Parameters
    ----------
    value : Hierarchy or Ontology

    Returns
    -------
    list of str
        Findings of the reader, if `value` is what a reader returned, and what the value itself knows: open leaves,
        other names, a missing root.

    Examples
    --------
    >>> import io
    >>> from tripletree.io import read_lineages
    >>> doubts(read_lineages(io.StringIO("u1\tB; P; uncultured\nv\tB; P; V\nw\tB; W; X\n")))
    ['1 name of no taxon passed over', "1 item known to an inner node only (open), as 'u1'"]
    """
    told = (*(_notes.get() or ()), *notes_of(value))
    found = list(dict.fromkeys(x.text for x in told if x.topic != READING))
    if not getattr(value, "rooted", True):
        ways = ways_to_root(getattr(value, "length", None), value.leaves[len(value.leaves) - 1])
        found.append(f"an unrooted tree, of which no triplet is certain until it has a root: {ways}")
    opened = value.open_leaves
    if opened:
        found.append(f"{counted(len(opened), 'item')} known to an inner node only (open), as {opened[0]!r}")
    if value.synonyms:
        found.append(f"{counted(len(value.synonyms), 'other name')} of its nodes, as {next(iter(value.synonyms))!r}")
    return found
