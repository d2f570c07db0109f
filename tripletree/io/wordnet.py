"""WordNet: the nouns (or verbs) and their hypernyms, from ``data.noun``.

Each line is a synset, a set of words with one meaning, and points at more general ones: ``@`` (hypernym) and ``@i``
(instance hypernym: Amsterdam is an instance of a national capital, not a kind of one).
"""

from __future__ import annotations

import os
import re
from typing import Literal

from tripletree.core.checks import check_choice
from tripletree.core.ontology import Ontology
from tripletree.errors import ParseError
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.source import Source, read_text

_RELATIONS = {"@": "hypernym", "@i": "instance_hypernym"}
_DATA = "data.noun"
#: How a synset begins: offset, file, part of speech, number of words (in base 16), and the first word.
_HEAD = re.compile(r"([0-9]{8}) +[0-9]{2} +([a-z]) +([0-9a-fA-F]{2}) +(\S+)")
_COUNT = re.compile(r"[0-9]{3}")


def read_wordnet(path: Source, *, ids: Literal["wnid", "sense"] = "wnid", index: Source | None = None) -> Ontology:
    """Read the synsets of a WordNet database file.

    Parameters
    ----------
    path : path, file object or "-"
        ``data.noun`` (or ``data.verb``), or the folder in which ``data.noun`` lies.
    ids : {"wnid", "sense"}
        Names of synsets: "wnid" is part of speech and offset, ``n00001740``, as in ImageNet, and is in the
        file. "sense" is ``entity.n.01``, as in NLTK, for which the numbers of the senses are needed: ``index.noun``.
    index : path, file object or "-", optional
        The file ``index.noun``. By default the one beside `path`.

    Returns
    -------
    Ontology
        Terms in the order of the file, each named by its first word, with blanks for underscores. Edges are
        "hypernym" and "instance_hypernym". Some synsets have several.

    Examples
    --------
    >>> import io
    >>> lines = ["00000010 03 n 01 entity 0 000 | all", "00000050 03 n 01 living_thing 0 001 @ 00000010 n 0000 |"]
    >>> wordnet = read_wordnet(io.StringIO("".join(x + chr(10) for x in lines)))
    >>> list(wordnet.terms), wordnet.names, wordnet.relations
    (['n00000010', 'n00000050'], ('entity', 'living thing'), ('hypernym',))
    """
    check_choice(ids, "ids", ("wnid", "sense"))
    if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
        path = os.path.join(os.fspath(path), _DATA)
    text, name = read_text(path)
    terms: dict[str, int] = {}  # part of speech and offset -> position
    words: list[str] = []
    lines: list[int] = []
    pointers: list[tuple[int, int, str, str]] = []
    below: dict[str, int] = {}  # synsets that others name below them, and the line
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("  "):  # the licence stands behind two blanks
            continue
        term, word, above, under = _synset(line, number, name)
        if term in terms:
            msg = f"the synset {term} stands twice: it is on line {lines[terms[term]]} already"
            raise ParseError(msg, path=name, line=number, column=1, text=line)
        pointers += [(len(lines), number, *x) for x in above]
        below.update(dict.fromkeys(under, number))
        terms[term] = len(lines)
        words.append(word)
        lines.append(number)
    if not terms:
        raise ParseError("no synsets in it", path=name, line=1, column=1)
    missing = next((x for x in pointers if x[3] not in terms), None)
    if missing is not None:
        raise ParseError(f"this synset points at {missing[3]}, which is not in the file", path=name, line=missing[1])
    lost = next((x for x in below if x not in terms), None)
    if lost is not None:
        msg = f"this synset has {lost} below it, which is not in the file: was the file cut off?"
        raise ParseError(msg, path=name, line=below[lost])
    edges = [(u, terms[to]) for u, _, _, to in pointers]
    called = list(terms) if ids == "wnid" else _senses(list(terms), words, _index_text(index, name))
    names = [x.replace("_", " ") for x in words]
    try:
        return Ontology(called, edges, names=names, relations=[x[2] for x in pointers])
    except ValueError as error:  # a cycle, or a synset that is above itself
        raise ParseError(str(error), path=name) from None


def _synset(line: str, number: int, path: str | None) -> tuple[str, str, list[tuple[str, str]], list[str]]:
    """Id, first word, pointers upwards and synsets below of one line."""
    data, bar, _ = line.partition(" |")
    head = _HEAD.match(data)
    fields = data.split()
    at = 4 + 2 * int(head[3], 16) if head else 0
    good = bool(bar) and 4 < at < len(fields) and _COUNT.fullmatch(fields[at]) is not None
    stop = at + 1 + 4 * int(fields[at]) if good else 0
    # verbs have their sentence frames behind the pointers
    if head is None or not good or stop > len(fields) or (stop < len(fields) and head[2] != "v"):
        msg = (
            "not a synset: expected offset (8 digits), file, part of speech, number of words, words, number of "
            "pointers (3 digits), so many pointers, a bar and the meaning"
        )
        msg += "" if bar or head is None else "; this line has no bar: was the file cut off here?"
        raise ParseError(msg, path=path, line=number, column=1, text=line)
    offset, part, _, word = head.groups()
    pointers = [fields[k : k + 4] for k in range(at + 1, stop, 4)]
    above = [(_RELATIONS[x[0]], x[2] + x[1]) for x in pointers if x[0] in _RELATIONS]
    return part + offset, word, above, [x[2] + x[1] for x in pointers if x[0] in ("~", "~i")]


def _index_text(index: Source | None, data: str | None) -> tuple[str, str | None]:
    """Return the index that is given, or the one beside the file of that name."""
    if index is not None:
        return read_text(index)
    folder, base = os.path.split(data or "")
    beside = os.path.join(folder, base.replace("data.", "index.", 1))
    if base.startswith("data.") and os.path.isfile(beside):
        return read_text(beside)
    msg = "ids='sense' needs the numbers of the senses: give index=, the file index.noun, or take ids='wnid'"
    raise ParseError(msg, path=data)


def _senses(terms: list[str], words: list[str], index: tuple[str, str | None]) -> list[str]:
    """``word.n.01`` for each synset: its place among the senses of its first word, as the index has them."""
    text, index_name = index
    place: dict[tuple[str, str], int] = {}  # (word, synset) -> number of the sense
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("  "):
            continue
        fields = line.split()
        try:
            word, part, n_senses, n_pointers = fields[0], fields[1], int(fields[2], 10), int(fields[3], 10)
            offsets = fields[6 + n_pointers :]
            good = n_pointers >= 0 and len(offsets) == n_senses
        except (IndexError, ValueError):
            good = False
        if not good:
            msg = (
                "not a line of an index: expected word, part of speech, counts of senses and pointers, so many offsets"
            )
            raise ParseError(msg, path=index_name, line=number, column=1, text=line)
        place.update({(word, part + offset): k for k, offset in enumerate(offsets, 1)})
    out = []
    for term, word in zip(terms, words, strict=True):
        k = place.get((word.lower(), term))
        if k is None:
            raise ParseError(f"the synset {term} is not among the senses of {word.lower()!r}", path=index_name)
        out.append(f"{word.lower()}.{term[0]}.{k:02}")
    return out


_SIGN = re.compile(r"^\d{8} \d\d [nvasr] [0-9a-f]{2} \S", re.M)


def _recognize(start: FileStart) -> str | None:
    return "it has the lines of a WordNet data file" if _SIGN.search(start.text) else None


FORMAT = FileFormat("wordnet", "WordNet data file", ontology=read_wordnet, recognize=_recognize, by_path=True)
