"""Notes on what a file said beside its tree: placeholders, other names, items without a taxon.

Readers make them, and `collected` gives them to callers that tell them on: ``tripletree info`` and the report, which
add what the value itself knows (`doubts`). Notes are logged besides, at level INFO of the logger "tripletree.io".
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from tripletree.core.checks import counted
from tripletree.core.rerooting import ways_to_root

if TYPE_CHECKING:
    from tripletree.core.hierarchy import Hierarchy
    from tripletree.core.ontology import Ontology

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


def doubts(value: Hierarchy | Ontology) -> list[str]:
    """What a file leaves open and what was made of it, a line each: the notes collected so far, then the value's own.

    Examples
    --------
    >>> from tripletree import Hierarchy
    >>> with collected():
    ...     note("placeholders", "41 placeholder nodes contracted")
    ...     doubts(Hierarchy([3, 3, 3, -1], ["a", "b", "c"], incertae_sedis=[2]))
    ['41 placeholder nodes contracted', "1 item known to an inner node only (open), as 'c'"]
    """
    found = [x.text for x in _notes.get() or ()]
    if not getattr(value, "rooted", True):
        ways = ways_to_root(getattr(value, "length", None), value.leaves[len(value.leaves) - 1])
        found.append(f"an unrooted tree, of which no triplet is certain until it has a root: {ways}")
    opened = value.open_leaves
    if opened:
        found.append(f"{counted(len(opened), 'item')} known to an inner node only (open), as {opened[0]!r}")
    if value.synonyms:
        found.append(f"{counted(len(value.synonyms), 'other name')} of its nodes, as {next(iter(value.synonyms))!r}")
    return found
